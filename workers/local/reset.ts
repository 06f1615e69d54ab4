/** `npm run reset`: deletes the local installation, its databases, objects and secrets. */
import { rmSync } from "node:fs";
import { isFree } from "./processes.ts";
import { readSettings } from "./settings.ts";

const settings = readSettings();
if (!(await isFree(settings.port))) {
  console.error(`Something still answers on port ${settings.port}. End Odin first (Ctrl-C), then reset.`);
  process.exit(1);
}
rmSync(settings.state, { recursive: true, force: true });
console.log("The local installation is deleted. `npm start` creates a new one.");
