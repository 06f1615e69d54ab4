import { CopyButton } from "#app/components/ui/copy-button.tsx";

/** Code with a button that copies it. The keyboard scrolls it. */
export function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex items-center justify-between gap-2 text-sm font-medium">
        {label}
        <CopyButton text={text} label={`Copy: ${label}`} />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 text-sm"
      >
        <code className="font-mono">{text}</code>
      </pre>
    </figure>
  );
}
