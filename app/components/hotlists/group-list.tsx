import { Link } from "@remix-run/react";
import { BellRing, Gauge, Plus, ShieldCheck, Users, Webhook } from "lucide-react";
import { useEffect, useRef } from "react";
import { useLastArrivals } from "#app/components/alerts/live/arrivals.ts";
import { FindInPages, type ListQuery, pageAddress, without } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { NO_IPHONES } from "#app/entities/alerts/push.ts";
import {
  ARCHIVED_SHOWN,
  type ArchivedGroup,
  DEFAULT_GROUP_IMAGE,
  type GroupCard,
  type GroupInvitation,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

export type GroupListProps = {
  /** The text that groups were found by, or "". */
  find: string;
  groups: NumberedPage<GroupCard>;
  archived: ArchivedGroup[];
  invitations: NumberedPage<GroupInvitation>;
  push: boolean;
  /** Whether Apple's push service is configured. */
  hasIphones: boolean;
  manages: boolean;
  query: ListQuery;
};

/** The name of the page of invitations in the screen's query. */
export const INVITATIONS = "invitations";

export function GroupList(props: GroupListProps) {
  const { find, groups, archived, invitations, push, hasIphones, manages, query } = props;
  const standing = useStanding();
  const isAdmin = mayUse("admin", standing);
  const arrivals = useLastArrivals();
  return (
    <Page width="7xl">
      <div className="flex flex-wrap items-center gap-2">
        <PageTitle className="me-auto max-sm:w-full">My Alert Groups</PageTitle>
        {isAdmin && (
          <Link to="/alerts/quality" className={buttonClass()}>
            <Gauge aria-hidden="true" />
            Hit Quality
          </Link>
        )}
        {manages && (
          <>
            <Link to="/edit-alerts-permissions" className={buttonClass()}>
              <ShieldCheck aria-hidden="true" />
              Edit Alerts Permissions
            </Link>
            <Link to="/integrations/outgoing" className={buttonClass()}>
              <Webhook aria-hidden="true" />
              Webhooks
            </Link>
            <Link to="/create-group" className={buttonClass("primary")}>
              <Plus aria-hidden="true" />
              <span>
                <span className="sr-only">+ </span>Add Group
              </span>
            </Link>
          </>
        )}
      </div>
      <PushSwitch initial={push} hint={hasIphones ? undefined : NO_IPHONES} />
      {invitations.pages > 1 && (
        <p className="text-sm text-muted">
          {counted(invitations.found, "invitation")} and requests for members, the newest invitation first.
        </p>
      )}
      {invitations.rows.map((invitation) =>
        invitation.state === "pending" ? (
          <Invitation key={invitation.group_id} invitation={invitation} />
        ) : (
          <MoreMembers key={invitation.group_id} invitation={invitation} />
        ),
      )}
      <PageLinks
        page={invitations.page}
        pages={invitations.pages}
        label="Pages of invitations"
        to={(to) => pageAddress(to, query, INVITATIONS)}
        preventScrollReset
      />
      <FindInPages
        label="Find a group"
        placeholder="Group or agency"
        noun="group"
        find={find}
        list={groups}
        kept={without(query, ["find", "page"])}
      />
      {groups.found === 0 && find === "" && (
        <EmptyState
          icon={<BellRing />}
          title={MESSAGES.noGroups}
          actions={
            manages && (
              <Link to="/create-group" className={buttonClass("primary")}>
                Create a group
              </Link>
            )
          }
        >
          {manages
            ? "A group lists the plates to watch and the people to notify of a hit."
            : "A hotlist administrator of your agency can create one."}
        </EmptyState>
      )}
      {groups.found > 0 && (
        <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {groups.rows.map((group) => (
            <Card key={group.id} group={group} lastArrival={arrivals.get(group.id)} />
          ))}
        </ul>
      )}
      <PageLinks
        page={groups.page}
        pages={groups.pages}
        label="Pages of groups"
        to={(to) => pageAddress(to, query)}
      />
      {archived.length > 0 && <ArchivedGroups groups={archived} />}
    </Page>
  );
}

function Card({ group, lastArrival = "" }: { group: GroupCard; lastArrival?: string | undefined }) {
  const lastAlert = lastArrival > (group.last_alert ?? "") ? lastArrival : group.last_alert;
  const to = `/groups/${encodeURIComponent(group.id)}`;
  return (
    <li className="flex gap-3 rounded-md border border-line bg-raised p-3">
      <img
        src={group.latest_image_url ?? DEFAULT_GROUP_IMAGE}
        alt=""
        width={80}
        height={80}
        className="size-20 shrink-0 rounded-sm object-cover"
      />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <h2 className="font-semibold wrap-anywhere">
          <Link to={to} className="hover:underline">
            {group.name}
          </Link>
        </h2>
        <p className="text-sm text-muted">
          {counted(group.plate_count, "plate")}
          {group.expired_count > 0 && (
            <span className="text-hit"> · {numberText(group.expired_count)} expired, not matched</span>
          )}
          {!group.can_edit && <span> · {group.agency}</span>}
        </p>
        {!group.has_members && <p className="text-sm text-hit">No one gets its alerts</p>}
        <p className="text-sm text-muted">
          Last Alert: {lastAlert ? <LocalTime at={lastAlert} short /> : MESSAGES.noAlertsYet}
        </p>
        <div className="mt-auto flex flex-wrap gap-2 pt-1.5">
          <Link
            to={`/alerts/group/${encodeURIComponent(group.id)}`}
            className={buttonClass("secondary", "sm")}
          >
            View Alerts<span className="sr-only"> of {group.name}</span>
          </Link>
          <Link to={to} className={buttonClass("secondary", "sm")}>
            Details<span className="sr-only"> of {group.name}</span>
          </Link>
        </div>
      </div>
    </li>
  );
}

/** The box shows the server's value, except while a change is being sent. */
function PushSwitch({ initial, hint }: { initial: boolean; hint: string | undefined }) {
  const box = useRef<HTMLInputElement>(null);
  /** The last value that the server confirmed, and the last one requested; equal once the server has answered. */
  const pushState = useRef({ saved: initial, requested: initial });
  const form = useScreenForm<{ push_alerts: boolean }>({
    intent: "push",
    keep: true,
    failed: "Push alerts could not be changed.",
    prepare: (data) => {
      pushState.current.requested = data.has("push_alerts");
      return true;
    },
    onDone: () => {},
  });
  const { answer, pending } = form;

  useEffect(() => {
    const { saved, requested } = pushState.current;
    if (!box.current || saved !== requested) return;
    if (box.current.checked === saved) box.current.checked = initial;
    pushState.current = { saved: initial, requested: initial };
  }, [initial]);

  useEffect(() => {
    if (!answer || !box.current) return;
    const { saved, requested } = pushState.current;
    const value = answer.result?.push_alerts ?? saved;
    // A box that was toggled again in the meantime stays as it is, and is sent below.
    if (!answer.ok || box.current.checked === requested) box.current.checked = value;
    pushState.current = { saved: value, requested: value };
  }, [answer]);

  useEffect(() => {
    // The user may have toggled it before the scripts loaded, or while it could not be sent.
    if (!pending && box.current && box.current.checked !== pushState.current.requested)
      box.current.form?.requestSubmit();
  }, [pending]);

  return (
    <ScreenForm
      state={form}
      className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-raised px-3 py-2.5"
    >
      <Checkbox
        ref={box}
        name="push_alerts"
        value="true"
        defaultChecked={initial}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
        label="Activate push alerts for the iOS app"
        hint={hint}
      />
      <noscript>
        <Button type="submit" size="sm">
          Save
        </Button>
      </noscript>
    </ScreenForm>
  );
}

function Invitation({ invitation }: { invitation: GroupInvitation }) {
  const form = useScreenForm({ intent: "invitation", failed: "The invitation could not be answered." });
  return (
    <section aria-label="Invitation" className="rounded-md border border-accent bg-accent-soft px-3 py-2.5">
      <ScreenForm state={form} className="flex flex-wrap items-center gap-3">
        <input type="hidden" name="group_id" value={invitation.group_id} />
        <Badge tone="accent" icon={<Users />}>
          Invitation
        </Badge>
        <p className="me-auto min-w-0">
          {invitation.owner} invites your agency to <strong>{invitation.group}</strong>.{" "}
          {invitation.proposed.length > 0
            ? `Accepting makes ${invitation.proposed.join(", ")} members; you can change that.`
            : "You choose your agency's members."}
        </p>
        <Button type="submit" name="accept" value="no" size="sm" pending={form.pending}>
          Decline
        </Button>
        <Button type="submit" name="accept" value="yes" size="sm" variant="primary" pending={form.pending}>
          Accept
        </Button>
      </ScreenForm>
    </section>
  );
}

/** Further members whom the group's owner proposes after the agency accepted. */
function MoreMembers({ invitation }: { invitation: GroupInvitation }) {
  return (
    <section
      aria-label="Request for members"
      className="flex flex-wrap items-center gap-3 rounded-md border border-accent bg-accent-soft px-3 py-2.5"
    >
      <Badge tone="accent" icon={<Users />}>
        Pending members
      </Badge>
      <p className="me-auto min-w-0">
        {invitation.owner} proposes {invitation.proposed.join(", ")} for <strong>{invitation.group}</strong>.
      </p>
      <Link
        to={`/groups/${encodeURIComponent(invitation.group_id)}`}
        className={buttonClass("secondary", "sm")}
      >
        Choose your agency's members
      </Link>
    </section>
  );
}

/** Archived groups, which are no longer matched, with links to their plates and hits. */
function ArchivedGroups({ groups }: { groups: ArchivedGroup[] }) {
  const count = groups.length >= ARCHIVED_SHOWN ? `the last ${ARCHIVED_SHOWN}` : String(groups.length);
  return (
    <Collapsible title="Archived groups" aside={<span className="text-sm text-muted">{count}</span>}>
      <ul className="divide-y divide-line">
        {groups.map((group) => {
          const id = encodeURIComponent(group.id);
          return (
            <li key={group.id} className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-2">
              <div className="min-w-0 flex-1 basis-64">
                <p className="font-medium wrap-anywhere">{group.name}</p>
                <p className="text-sm text-muted">
                  Archived <LocalTime at={group.archived_at} short />
                  {group.archived_by && ` by ${group.archived_by}`}
                </p>
              </div>
              <div className="flex gap-2">
                <Link to={`/alerts/group/${id}`} className={buttonClass("secondary", "sm")}>
                  View Alerts<span className="sr-only"> of {group.name}</span>
                </Link>
                <Link to={`/groups/${id}`} className={buttonClass("secondary", "sm")}>
                  Details<span className="sr-only"> of {group.name}</span>
                </Link>
              </div>
            </li>
          );
        })}
      </ul>
    </Collapsible>
  );
}
