import { useRevalidator } from "@remix-run/react";
import { CircleAlert } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";

/** What a screen shows when its data could not be loaded, in the specification's words. */
export function LoadFailure({ message }: { message: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="m-auto">
      <EmptyState
        icon={<CircleAlert />}
        title={message}
        actions={
          <Button pending={state === "loading"} pendingLabel="Trying…" onClick={revalidate}>
            Try again
          </Button>
        }
      >
        Nothing that was saved is lost. Try again in a moment.
      </EmptyState>
    </div>
  );
}
