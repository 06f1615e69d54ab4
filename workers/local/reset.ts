/** `npm run reset`: deletes the local installation, its databases, objects and secrets. */
import { optionsOf } from "./options.ts";
import { requireStopped } from "./processes.ts";
import { deleteInstallation, readSettings } from "./settings.ts";

optionsOf("npm run reset\n\nTakes no options; ODIN_STATE chooses the installation.", { options: {} });
const settings = readSettings();
try {
  await requireStopped(settings);
  deleteInstallation(settings);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
console.log("The local installation is deleted. `npm start` creates a new one.");
