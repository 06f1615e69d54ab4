import { MINUTE } from "#app/lib/time/dates.ts";

/** How long the browser may read the file: Safari reads it after the click, on a phone when the user has agreed. */
const KEPT_MS = 5 * MINUTE;

/** Downloads a file that the page holds. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Downloads a text as a file. */
export function saveText({ name, type, text }: { name: string; type: string; text: string }): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}
