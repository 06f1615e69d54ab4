import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { BackupView } from "#app/components/operations/backup-view.tsx";
import { listBackups } from "#app/domain/operations/backups.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Backups · Odin" }];

export const loader = screenLoader("owner", ({ app }) => listBackups(app));

export default function BackupsScreen() {
  return <BackupView list={useLoaderData<typeof loader>()} />;
}
