/** `npm run reset`: deletes the local installation, its databases, objects and secrets. */
import { rmSync } from "node:fs";
import { isFree } from "./processes.ts";
import { lastPort, readSettings } from "./settings.ts";

const settings = readSettings();
for (const port of new Set([settings.port, lastPort(settings)])) {
  if (await isFree(port)) continue;
  console.error(`Something still answers on port ${port}. End Odin first (Ctrl-C), then reset.`);
  process.exit(1);
}
rmSync(settings.state, { recursive: true, force: true });
console.log("The local installation is deleted. `npm start` creates a new one.");
