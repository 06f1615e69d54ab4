import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { IconButton } from "./icon-button.tsx";
import { LiveRegion } from "./live-region.tsx";

export type CopyButtonProps = { text: string; label?: string; size?: "sm" | "md"; className?: string };

const SHOWN_MS = 1500;

/** Copies text to the clipboard; `copied` is true for a moment after success. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      notify.error("The browser did not allow copying.", { description: text });
    }
  }
  return { copied, copy };
}

export function CopyButton({ text, label = "Copy", size = "sm", className }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  return (
    <>
      <IconButton
        label={label}
        size={size}
        className={className}
        icon={copied ? <Check className="text-ok" /> : <Copy />}
        onClick={(event) => {
          event.stopPropagation();
          void copy(text);
        }}
      />
      <LiveRegion>{copied ? "Copied" : ""}</LiveRegion>
    </>
  );
}
