import { useRevalidator } from "@remix-run/react";
import { CircleAlert } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Reference } from "./reference.tsx";

/** Shown if the data of a screen cannot be loaded. The message is the specification's. */
export function LoadFailure({ message }: { message: string }) {
  const { revalidate, state } = useRevalidator();
  return (
    <div role="alert" className="m-auto">
      <EmptyState
        icon={<CircleAlert />}
        title={message}
        isPage
        actions={
          <Button pending={state === "loading"} pendingLabel="Trying…" onClick={revalidate}>
            Try again
          </Button>
        }
      >
        Your saved data is safe. Try again in a moment.
        <Reference ofPage />
      </EmptyState>
    </div>
  );
}
