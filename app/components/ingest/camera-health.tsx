import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";

export type CameraHealthProps = {
  camera: {
    last_read_at: number | null;
    last_heartbeat_at: number | null;
    silent: boolean;
    revoked_at?: number | null;
  };
};

/** Shows whether a camera reports as usual, and when it last did. */
export function CameraHealth({ camera }: CameraHealthProps) {
  const { last_read_at: read, last_heartbeat_at: beat, silent, revoked_at: revoked = null } = camera;
  const hasReported = read !== null || beat !== null;
  return (
    <div className="flex flex-col text-sm whitespace-nowrap">
      {revoked !== null ? (
        <StatusDot tone="neutral" shape="cross" label="Revoked" />
      ) : silent ? (
        <StatusDot tone="warn" shape="half" label="Silent longer than usual" />
      ) : hasReported ? (
        <StatusDot tone="ok" label="Online" />
      ) : (
        <StatusDot tone="neutral" shape="ring" label="No data yet" />
      )}
      {read !== null && (
        <span className="text-xs text-muted">
          Last read <LocalTime at={read} short />
        </span>
      )}
      {beat !== null && (
        <span className="text-xs text-muted">
          Last heartbeat <LocalTime at={beat} short />
        </span>
      )}
    </div>
  );
}
