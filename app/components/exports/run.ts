import * as z from "zod/mini";
import { callApi } from "#app/components/forms/api.ts";
import { ndjson } from "#app/components/search/form/run.ts";
import {
  type ExportKind,
  type ExportProgress,
  type ExportSummary,
  exportFailure,
} from "#app/entities/exports/request.ts";
import { parseJson } from "#app/lib/json/parse.ts";

export type ExportOutcome =
  | { kind: "ready"; export: ExportSummary }
  /** A job makes it; we are told when it is ready. */
  | { kind: "queued"; id: string }
  | { kind: "signed-out" }
  /** In the words of the specification, with the server's reason where it gave one. */
  | { kind: "failed"; message: string; reason?: string }
  | { kind: "cancelled" };

const Refusal = z.object({ message: z.string().check(z.minLength(1)) });

/** Runs one export and tells of every record on the way. Never throws; aborting the signal cancels. */
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
      return { kind: "failed", message, ...(refusal.success && { reason: refusal.data.message }) };
    }
    for await (const line of ndjson(response.body)) {
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

/** Where an export stands; undefined where it is gone or the network is away. */
export async function askExport(id: string): Promise<ExportSummary | "gone" | undefined> {
  const answer = await callApi<ExportSummary>(`/exports/${id}`, { handles401: true });
  if (answer.ok) return answer.value;
  return answer.status === 404 ? "gone" : undefined;
}

/** Takes an export back: cancels one that is being made, and removes the file of one that is ready. */
export async function takeBack(id: string): Promise<boolean> {
  return (await callApi(`/exports/${id}`, { method: "DELETE", handles401: true })).ok;
}

/** Lets the browser save the file, as if a link to it had been pressed. */
export function saveExport({ id, name }: Pick<ExportSummary, "id" | "name">): void {
  const link = document.createElement("a");
  link.href = `/exports/${id}/file`;
  link.download = name;
  document.body.appendChild(link);
  link.click();
  link.remove();
}
