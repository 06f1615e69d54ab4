/** `npm run reset`: deletes the local installation, its databases, objects and secrets. */
import { optionsOf } from "./options.ts";
import { isFree } from "./processes.ts";
import { deleteInstallation, lastPort, readSettings } from "./settings.ts";

optionsOf("npm run reset\n\nTakes no options; ODIN_STATE chooses the installation.", { options: {} });
const settings = readSettings();
for (const port of new Set([settings.port, lastPort(settings)])) {
  if (await isFree(port)) continue;
  console.error(`Something still answers on port ${port}. End Odin first (Ctrl-C), then reset.`);
  process.exit(1);
}
try {
  deleteInstallation(settings);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
console.log("The local installation is deleted. `npm start` creates a new one.");
