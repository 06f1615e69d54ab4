import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

export type Process = {
  pid: number;
  cpuMs: () => number;
  restart: () => void;
  peakMb: () => number;
  residentMb: () => number;
  /** The resident memory that is not file content (RssAnon). */
  privateMb: () => number;
};

/** Returns the workerd processes that are descendants of this process; none on systems without /proc. */
export function findWorkerd(): Process[] {
  if (!existsSync("/proc/self/stat")) return [];
  const parents = new Map<number, { parent: number; command: string }>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const match = /^\d+ \((.*)\) \S (\d+)/.exec(stat);
      if (match) parents.set(Number(entry), { command: match[1] as string, parent: Number(match[2]) });
    } catch {
      // The process has ended.
    }
  }
  const isOurs = (pid: number): boolean => {
    const one = parents.get(pid);
    return one !== undefined && (one.parent === process.pid || isOurs(one.parent));
  };
  return [...parents]
    .filter(([pid, { command }]) => command.startsWith("workerd") && isOurs(pid))
    .map(([pid]) => ({
      pid,
      cpuMs() {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
        return (Number(fields[11]) + Number(fields[12])) * 10;
      },
      restart: () => writeFileSync(`/proc/${pid}/clear_refs`, "5"),
      peakMb: () => statusMb(pid, "VmHWM"),
      residentMb: () => statusMb(pid, "VmRSS"),
      privateMb: () => statusMb(pid, "RssAnon"),
    }));
}

function statusMb(pid: number, field: "VmHWM" | "VmRSS" | "RssAnon"): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8")
    .split("\n")
    .find((one) => one.startsWith(field));
  return Number(/\d+/.exec(line ?? "")?.[0] ?? Number.NaN) / 1024;
}
