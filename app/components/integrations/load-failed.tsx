import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { MESSAGES } from "#app/entities/messages.ts";

/** What a screen shows whose data could not be had, or whose visitor may not have them. */
export function LoadFailed({ message }: { message: string }) {
  const error = useRouteError();
  const isRefusal = isRouteErrorResponse(error) && error.status === 403;
  return (
    <EmptyState icon={<TriangleAlert />} title={isRefusal ? MESSAGES.accessDenied : message}>
      {isRefusal
        ? "Your account may not open this page."
        : "Nothing that was saved is lost. Load the page again in a moment."}
    </EmptyState>
  );
}
