import { Download } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { saveText } from "./save-text.ts";

/** Shows new recovery codes. They cannot be shown again. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join("\n");
  return (
    <div className="flex flex-col gap-3">
      <p className="text-base">
        Store these codes in a safe place. If you lose your device, each code lets you sign in once. They are
        shown only now.
      </p>
      <ol className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-md bg-sunken px-4 py-3 font-mono text-base">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex items-center gap-2 noscript:hidden">
        <Button
          icon={<Download />}
          onClick={() => saveText({ name: "odin-recovery-codes.txt", type: "text/plain", text: `${text}\n` })}
        >
          Save as file
        </Button>
        <CopyButton text={text} label="Copy all codes" size="md" />
      </div>
    </div>
  );
}
