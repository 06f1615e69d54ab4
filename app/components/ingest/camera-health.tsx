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

/** Whether a camera is heard of as usual, and when it last was. */
export function CameraHealth({ camera }: CameraHealthProps) {
  const { last_read_at: read, last_heartbeat_at: beat, silent, revoked_at: revoked = null } = camera;
  const heard = read !== null || beat !== null;
  return (
    <div className="flex flex-col text-sm whitespace-nowrap">
      {revoked !== null ? (
        <StatusDot tone="neutral" shape="cross" label="Revoked" />
      ) : silent ? (
        <StatusDot tone="warn" shape="half" label="Silent for longer than usual" />
      ) : heard ? (
        <StatusDot tone="ok" label="Heard of as usual" />
      ) : (
        <StatusDot tone="neutral" shape="ring" label="Not heard of yet" />
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
