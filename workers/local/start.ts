/**
 * `npm start`: builds, migrates, seeds, and serves Odin with its simulated vendors until Ctrl-C. Everything runs on
 * this machine, without an account or the network.
 */
import { requireUnused, run } from "./processes.ts";
import { startApp, startIdentityOf, startVendors } from "./servers.ts";
import { notePort, REMIX, readSettings } from "./settings.ts";
import { prepare, prepareEmpty, requirePorts, runWorld, serve, servers } from "./world.ts";

serve(async () => {
  const settings = readSettings();
  await requirePorts(settings, "npm start");
  await requireUnused(settings);
  notePort(settings);
  if (process.env.ODIN_SKIP_BUILD !== "1") {
    console.log("Building Odin…");
    await run(REMIX, ["vite:build"]);
  }
  console.log("Preparing databases…");
  if (process.env.RESTORE_TOKEN) {
    await prepareEmpty(settings);
    servers.push(await startApp(settings));
    console.log(`Waiting for a backup: npm run -s restore -- http://localhost:${settings.port}`);
    return;
  }
  await prepare(settings);
  servers.push(await startVendors(settings));
  servers.push(await startIdentityOf(settings));
  servers.push(await startApp(settings));
  await runWorld(settings);
});
