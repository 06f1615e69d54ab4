import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { Reference } from "#app/components/shell/reference.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";

/** Shown if a screen's data cannot be loaded, with the specification's message, or if the user may not see it. */
export function LoadFailed({ message }: { message: string }) {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status < 500) return <RouteError isNested />;
  return (
    <EmptyState icon={<TriangleAlert />} title={message} isPage>
      Saved data is not affected. Reload the page in a moment.
      <Reference />
    </EmptyState>
  );
}
