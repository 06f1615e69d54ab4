import { CircleCheck, CircleHelp, CircleX, FileSearch } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { counted } from "#app/lib/number-text.ts";
import { localTime } from "#app/lib/time/dates.ts";
import { type Checked, type CheckedManifest, type CheckingKey, checkExport, type Finding } from "./check.ts";

/** Maximum number of listed findings; the others are counted. */
const MAX_LISTED = 200;

/** The same checks with OpenSSL. */
const COMMANDS = `curl -o key.pem "https://<this host>/verification-key.pem"

# A ZIP archive
unzip odin-export-*.zip -d export && cd export
openssl dgst -sha256 -verify ../key.pem -signature manifest.sig manifest.json
find . -type f                       # compare the names with "files" in manifest.json
openssl dgst -sha256 images/* records.*   # compare with "files" in manifest.json

# A PDF report ends with five lines: a statement, a signature over it, and the end of a PDF
tail -n 5 odin-report.pdf > seal.txt
sed -n 's/^%odin-report //p' seal.txt | tr -d '\\n' > statement.json
sed -n 's/^%odin-signature //p' seal.txt | openssl base64 -d -A > statement.sig
openssl dgst -sha256 -verify key.pem -signature statement.sig statement.json
head -c $(($(wc -c < odin-report.pdf) - $(wc -c < seal.txt))) odin-report.pdf | openssl dgst -sha256
cat statement.json                   # compare with "sha256" here`;

/** Checks an exported file in this browser. */
export function VerifyView({ keys }: { keys: CheckingKey[] }) {
  const { progress, checked, problem, check } = useCheck(keys);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-8">
      <header className="flex flex-col gap-2">
        <h1 className="text-2xl font-semibold">Verify an Export</h1>
        <p className="text-muted">
          Choose a PDF report or a ZIP archive that was exported from Odin, or an archive's manifest.json
          together with manifest.sig. Your browser checks the file and does not send it anywhere.
        </p>
      </header>
      <FileChoice onFiles={(files) => void check(files)} />
      <p className="hidden noscript:block">This needs JavaScript. Without it, use the commands below.</p>
      {progress && (
        <Progress
          label="Checked"
          value={progress.total === 0 ? undefined : progress.done}
          max={progress.total}
        />
      )}
      <ErrorBox message={problem} />
      <LiveRegion>{checked ? verdictText(checked) : ""}</LiveRegion>
      {checked && <Result checked={checked} />}
      <details className="text-sm text-muted">
        <summary className="min-h-target cursor-pointer content-center">Check without this page</summary>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 overflow-auto rounded-md bg-sunken p-3 text-xs"
        >
          {COMMANDS}
        </pre>
      </details>
    </div>
  );
}

/** Checks files against the keys. Returns the progress of the check, its result, and why it failed. */
function useCheck(keys: CheckingKey[]) {
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const [checked, setChecked] = useState<Checked & { names: string }>();
  const [problem, setProblem] = useState("");
  const newest = useRef<readonly File[]>();

  async function check(files: File[]) {
    if (files.length === 0) return;
    newest.current = files;
    setChecked(undefined);
    setProblem("");
    setProgress({ done: 0, total: 0 });
    // After other files were chosen, an earlier check continues, but its result is not shown.
    const isNewest = () => newest.current === files;
    const names = files.map(({ name }) => name).join(", ");
    try {
      const onProgress = (done: number, total: number) => isNewest() && setProgress({ done, total });
      const result = await checkExport(files, keys, onProgress);
      if (isNewest()) setChecked({ ...result, names });
    } catch {
      // A file was moved or changed meanwhile, or is a folder.
      if (isNewest()) setProblem(`${names} could not be read. Choose the file again.`);
    }
    if (isNewest()) setProgress(undefined);
  }

  return { progress, checked, problem, check };
}

/** Takes files that are chosen or dropped. */
function FileChoice({ onFiles }: { onFiles: (files: File[]) => void }) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file field works without dropping
    <div
      className={`flex flex-col items-center gap-3 rounded-md border border-dashed p-8 text-center noscript:hidden ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-raised"}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <FileSearch aria-hidden="true" className="size-8 text-muted" />
      <label htmlFor={id} className="font-medium">
        Report, archive, or manifest with signature
      </label>
      <input
        id={id}
        type="file"
        multiple
        accept=".pdf,.zip,.json,.sig,application/pdf,application/zip,image/*"
        className="control max-w-full p-2 file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = "";
          onFiles(files);
        }}
      />
    </div>
  );
}

function verdictText({ verdict, findings, manifest, unchecked = 0 }: Checked): string {
  if (verdict === "unchanged" && unchecked > 0)
    return `The manifest is unchanged since export, but ${unchecked} of its ${counted(manifest?.files.length ?? 0, "file")} were not checked. Choose them too.`;
  if (verdict === "unchanged") return "Verified. Unchanged since export.";
  if (verdict === "foreign") return "This file is not an export from this Odin installation.";
  if (verdict === "several") return "Choose one report or archive at a time. Nothing was checked.";
  const mismatches = findings.filter((finding) => !finding.matches).length;
  return mismatches === 1
    ? "One item does not match. Do not rely on this export."
    : `${mismatches} items do not match. Do not rely on this export.`;
}

const LOOKS = {
  unchanged: { Icon: CircleCheck, colors: "bg-ok-soft text-ok" },
  changed: { Icon: CircleX, colors: "bg-hit-soft text-hit" },
  foreign: { Icon: CircleHelp, colors: "bg-sunken text-text" },
  several: { Icon: CircleHelp, colors: "bg-warn-soft text-text" },
  partial: { Icon: CircleHelp, colors: "bg-warn-soft text-text" },
} as const;

function Result({ checked }: { checked: Checked & { names: string } }) {
  const { verdict, findings, manifest, report, names } = checked;
  const mismatches = findings.filter((finding) => !finding.matches);
  const matching = findings.filter((finding) => finding.matches);
  const isPartial = verdict === "unchanged" && (checked.unchecked ?? 0) > 0;
  const { Icon, colors } = LOOKS[isPartial ? "partial" : verdict];
  return (
    <section aria-label="Result" className="flex flex-col gap-4">
      <p className={`flex items-center gap-2 rounded-md p-3 text-lg font-semibold ${colors}`}>
        <Icon aria-hidden="true" className="shrink-0" />
        {verdictText(checked)}
      </p>
      <p className="wrap-anywhere">{names}</p>
      {verdict === "foreign" && (
        <p>
          It has no Odin signature, so this page cannot tell whether it was changed. The file may be
          incomplete (download it again), or another program may have created it or saved it again.
        </p>
      )}
      {manifest && <ManifestFacts manifest={manifest} />}
      {report && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          <Fact name="Report">{report.export_id}</Fact>
          <Fact name="Exported at">{localTime(Date.parse(report.created_at)) ?? report.created_at}</Fact>
        </dl>
      )}
      {mismatches.length > 0 && <Findings title="Problems found" findings={mismatches} />}
      {matching.length > 0 && <Findings title="What matches" findings={matching} />}
    </section>
  );
}

function ManifestFacts({ manifest }: { manifest: CheckedManifest }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
      <Fact name="Exported by">
        {manifest.exporter.name} ({manifest.exporter.username}), {manifest.exporter.agency}
      </Fact>
      <Fact name="Exported at">{localTime(Date.parse(manifest.created_at)) ?? manifest.created_at}</Fact>
      <Fact name="Justification">{manifest.justification}</Fact>
      {manifest.case_number && <Fact name="Case number">{manifest.case_number}</Fact>}
      <Fact name="Records">{manifest.records.length}</Fact>
      <Fact name="Missing images">
        {manifest.missing.length === 0 ? "None" : `${manifest.missing.length}, listed in the manifest`}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

function Findings({ title, findings }: { title: string; findings: Finding[] }) {
  const unlisted = findings.length - MAX_LISTED;
  return (
    <div>
      <h2 className="font-semibold">{title}</h2>
      <ul className="text-sm">
        {findings.slice(0, MAX_LISTED).map(({ matches, what, why }) => (
          <li key={what} className="flex items-start gap-2 py-0.5">
            {matches ? (
              <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-hit" />
            )}
            <span className="min-w-0 wrap-anywhere">
              {what}
              {why && <span className="text-muted"> {why}</span>}
            </span>
          </li>
        ))}
        {unlisted > 0 && <li className="py-0.5 text-muted">and {unlisted} more</li>}
      </ul>
    </div>
  );
}
