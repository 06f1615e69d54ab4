import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Dialog, type DialogSize } from "#app/components/ui/dialogs/dialog.tsx";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { Button } from "./button.tsx";
import { Spinner } from "./spinner.tsx";

export type WaitScreenProps = {
  open: boolean;
  /** Names the dialog for screen readers. */
  title: string;
  /** What the user waits for. */
  message: string;
  /** Beside the message. */
  aside?: ReactNode;
  /** In the footer, opposite Cancel. */
  note?: ReactNode;
  size?: DialogSize;
  /** A button in the footer, beside Cancel. */
  action?: ReactNode;
  /** Whether it is too late to cancel: the result has arrived and is being rendered. */
  isSettled?: boolean;
  onCancel: () => void;
  children?: ReactNode;
};

/** Covers the screen during long work. Escape cancels, like the button; a press outside does not. */
export function WaitScreen(props: WaitScreenProps) {
  const { open, title, note, size = "md", action, isSettled = false, onCancel } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={open}
      title={title}
      size={size}
      bare
      locked
      initialFocus={cancel}
      footer={
        <>
          {note && <span className="me-auto self-center text-sm text-muted">{note}</span>}
          <Button
            ref={cancel}
            icon={<X />}
            aria-keyshortcuts="Escape"
            disabled={isSettled}
            onClick={onCancel}
          >
            Cancel
          </Button>
          {action}
        </>
      }
    >
      <Content {...props} />
    </Dialog>
  );
}

function Content({ message, aside, isSettled = false, onCancel, children }: WaitScreenProps) {
  const content = useRef<HTMLDivElement>(null);
  useEscape(content, onCancel);
  return (
    <div ref={content} aria-busy={!isSettled} className="flex flex-col gap-4 p-4 sm:p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Spinner className="size-5 text-accent" />
        <p role="status" className="text-lg font-semibold">
          {message}
        </p>
        {aside && <p className="text-base text-muted sm:ms-auto">{aside}</p>}
      </div>
      {children}
    </div>
  );
}

// Handles Escape itself, because a locked dialog ignores it and the focus may be outside of every element that could
// handle it. In a dialog above, such as a hit, Escape belongs to that dialog.
function useEscape(content: RefObject<HTMLElement>, handler: () => void) {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === "Escape" && topmost() === content.current?.closest("dialog")) latest.current();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [content]);
}
