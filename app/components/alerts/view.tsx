import { Link } from "@remix-run/react";
import { useState } from "react";
import { useLookAgain } from "#app/components/alerts/live/use-look-again.ts";
import type { AddressAnswer } from "#app/components/map/use-address.ts";
import { Page } from "#app/components/ui/page.tsx";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { AlertDetail } from "./detail.tsx";

/** The alert modal as a page. */
export function AlertView({ alert: given, address }: { alert: Alert; address: AddressAnswer }) {
  const [alert, setAlert] = useState(given);
  useLookAgain(alert, setAlert);
  return (
    <Page width="5xl">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="me-auto text-xl font-semibold tracking-tight wrap-anywhere">
          Hotlist hit: {alert.group.name}
        </h1>
        <Link to={`/alerts/group/${encodeURIComponent(alert.group.id)}`} className="underline">
          Alert history of the group
        </Link>
      </div>
      <AlertDetail alert={alert} address={address} onChange={setAlert} />
    </Page>
  );
}
