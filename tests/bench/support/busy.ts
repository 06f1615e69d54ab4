// Measures whether other programs used the machine while a bench ran. Reports nothing on systems without /proc.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;

const SAMPLE_MS = 1000;

/** Returns a function that returns the share of all cores that other programs have used since this call, from 0 to 1. */
export function watchOthers(): () => number {
  if (!existsSync("/proc/stat")) return () => 0;
  const start = { at: performance.now(), machine: machineMs() };
  let known = ownTimes();
  let own = 0;
  // Sampled, because the time of a process that has ended may be lost.
  const sample = () => {
    const now = ownTimes();
    for (const [pid, ms] of now) own += ms - (known.get(pid) ?? 0);
    known = now;
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(sampling);
    sample();
    const others = machineMs() - start.machine - own;
    return Math.max(0, others / ((performance.now() - start.at) * availableParallelism()));
  };
}

/** Returns the total busy time of all cores, in ms. */
function machineMs(): number {
  const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, _idle, _wait, irq = 0, softIrq = 0] = first
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softIrq) * TICK_MS;
}

/** Returns the processor time of this process and all its descendants, in ms by process id. */
function ownTimes(): Map<number, number> {
  const processes = new Map<number, { parent: number; ms: number }>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      // Fields after the name in parentheses: state, parent, …; the 12th and 13th are the user and system time.
      const fields = readFileSync(`/proc/${entry}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      const ticks = Number(fields[11]) + Number(fields[12]);
      processes.set(Number(entry), { parent: Number(fields[1]), ms: ticks * TICK_MS });
    } catch {
      // The process has ended.
    }
  }
  const isOwn = (pid: number): boolean => {
    const one = processes.get(pid);
    return pid === process.pid || (one !== undefined && one.parent > 0 && isOwn(one.parent));
  };
  return new Map([...processes].flatMap(([pid, { ms }]) => (isOwn(pid) ? [[pid, ms] as const] : [])));
}
