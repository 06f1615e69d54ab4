/**
 * `npm run dev`: the demo world with hot reload. Vite serves the app in Node with the bindings of wrangler.toml. The
 * content policy, the queue consumer and scheduled jobs are part of the Worker and run only under `npm start`.
 */
import { launch, requireUnused } from "./processes.ts";
import { startIdentityOf, startVendors } from "./servers.ts";
import { notePort, REMIX, readSettings } from "./settings.ts";
import { prepare, requirePorts, runWorld, serve, servers } from "./world.ts";

serve(async () => {
  const settings = readSettings();
  await requirePorts(settings, "npm run dev");
  await requireUnused(settings);
  notePort(settings);
  console.log("Preparing databases…");
  await prepare(settings);
  servers.push(await startVendors(settings));
  servers.push(await startIdentityOf(settings));
  const vite = launch(
    REMIX,
    ["vite:dev", "--port", String(settings.port), "--host", "127.0.0.1", "--strictPort"],
    {
      ODIN_DEV: "1",
    },
  );
  vite.child.stdout?.pipe(process.stdout);
  vite.child.stderr?.pipe(process.stderr);
  await answering(`http://127.0.0.1:${settings.port}/get-current-user`);
  await runWorld(settings);
});

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await fetch(url).catch(() => undefined);
    if (response) return void (await response.body?.cancel());
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error("The development server did not start.");
}
