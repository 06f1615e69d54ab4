import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

/** Shown if a screen's data cannot be loaded or the user may not see it. */
export function LoadFailed({ message }: { message: string }) {
  const error = useRouteError();
  const isRefusal = isRouteErrorResponse(error) && error.status === 403;
  return (
    <EmptyState icon={<TriangleAlert />} title={isRefusal ? MESSAGES.accessDenied : message}>
      {isRefusal
        ? "Your account cannot open this page."
        : "Saved data is not affected. Reload the page in a moment."}
    </EmptyState>
  );
}
