import * as z from "zod/mini";
import { callApi, withReference } from "#app/components/forms/api.ts";
import {
  type ExportKind,
  type ExportProgress,
  type ExportSummary,
  exportFailure,
} from "#app/entities/exports/request.ts";
import { jsonLines } from "#app/lib/json/lines.ts";
import { parseJson } from "#app/lib/json/parse.ts";

export type ExportOutcome =
  | { kind: "ready"; export: ExportSummary }
  /** A job creates it; ExportWatch reports when it is ready. */
  | { kind: "queued"; id: string }
  | { kind: "signed-out" }
  /** The message of the specification, with the server's reason if it sent one. */
  | { kind: "failed"; message: string; reason?: string }
  | { kind: "cancelled" };

const Refusal = z.object({ message: z.string().check(z.minLength(1)) });

/** Runs one export and reports each record. Never throws; aborting the signal cancels the export. */
export async function runExport(input: {
  kind: ExportKind;
  body: { records: { id: string }[]; justification: string; case_number: string; result_id: string };
  signal: AbortSignal;
  onProgress: (progress: ExportProgress) => void;
}): Promise<ExportOutcome> {
  const { kind, body, signal, onProgress } = input;
  const broken: ExportOutcome = { kind: "failed", message: exportFailure(kind, "broken") };
  try {
    // Fetched directly: the answer is a stream of progress.
    const response = await fetch(`/export-${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body: JSON.stringify(body),
      signal,
    });
    if (response.status === 401) return { kind: "signed-out" };
    if (!response.ok || !response.body) {
      const refusal = Refusal.safeParse(parseJson(await response.text()));
      const message = exportFailure(kind, "refused");
      const reference = response.headers.get("x-request-id") ?? "";
      const serverMessage = refusal.success ? refusal.data.message : "";
      const isExplained = serverMessage !== "" && response.status < 500;
      const reason = isExplained ? serverMessage : withReference(serverMessage || message, reference);
      return { kind: "failed", message, ...(reason !== message && { reason }) };
    }
    for await (const line of jsonLines(response.body)) {
      const progress = line as ExportProgress;
      onProgress(progress);
      if (progress.type === "done") return { kind: "ready", export: progress.export };
      if (progress.type === "queued") return { kind: "queued", id: progress.id };
      if (progress.type === "failed")
        return { kind: "failed", message: exportFailure(kind, "refused"), reason: progress.message };
    }
    return signal.aborted ? { kind: "cancelled" } : broken;
  } catch {
    return signal.aborted ? { kind: "cancelled" } : broken;
  }
}

/** Polls an export. Returns it, `gone` if it no longer exists, or undefined without an answer. */
export async function askExport(id: string): Promise<ExportSummary | "gone" | undefined> {
  const answer = await callApi<ExportSummary>(`/exports/${id}`, { background: true });
  if (answer.ok) return answer.value;
  return answer.status === 404 ? "gone" : undefined;
}

/** Cancels a running export, or deletes the file of a finished one. Returns whether it worked. */
export async function deleteExport(id: string): Promise<boolean> {
  return (await callApi(`/exports/${id}`, { method: "DELETE", handles401: true })).ok;
}

/** Downloads the file, as if the user had clicked a link to it. */
export function saveExport({ id, name }: Pick<ExportSummary, "id" | "name">): void {
  const link = document.createElement("a");
  link.href = `/exports/${id}/file`;
  link.download = name;
  document.body.appendChild(link);
  link.click();
  link.remove();
}
