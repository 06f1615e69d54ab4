import { CircleCheck } from "lucide-react";

/** The result of a form that was sent without scripts, above the next page. */
export function FormNotice({ message }: { message: string }) {
  if (!message) return null;
  return (
    <p
      role="status"
      className="flex items-start gap-2 border-b border-line bg-ok-soft px-4 py-2 font-medium text-ok sm:px-6"
    >
      <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {message}
    </p>
  );
}
