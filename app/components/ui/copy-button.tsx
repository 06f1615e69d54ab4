import { Check, Copy } from "lucide-react";
import { IconButton } from "./icon-button.tsx";
import { LiveRegion } from "./live-region.tsx";
import { useCopy } from "./use-copy.ts";

export type CopyButtonProps = { text: string; label?: string; size?: "sm" | "md"; className?: string };

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
