import { Link } from "@remix-run/react";
import { BellRing, History, ListX, Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { GroupQuality } from "#app/components/alerts/hit-quality.tsx";
import { callApi } from "#app/components/forms/api.ts";
import { FindInPages, pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { PlateTable } from "#app/components/hotlists/plates/table.tsx";
import { usePlatePages } from "#app/components/hotlists/plates/use-pages.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import type { ExpiryNotice, HitQuality } from "#app/entities/alerts/hit.ts";
import {
  DEFAULT_GROUP_IMAGE,
  type GroupDetails as Details,
  type GroupMember,
  type PlatePage,
  type UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NumberedPage } from "#app/lib/pages.ts";
import { ExpiryNotices } from "./expiry-notices.tsx";
import { MEMBER } from "./member-boxes.tsx";
import { MemberFields } from "./member-fields.tsx";

type ShownGroup = Omit<Details, "member_ids">;

/** The users of the viewer's agency, if it was invited and the viewer may choose its members. */
type OwnChoice = {
  users: UsersOfAgency;
  /** IDs of the users who are members, and of those whom the owning agency proposes. */
  members: string[];
  proposed: string[];
};

export type GroupDetailsProps = {
  group: ShownGroup;
  /** The text that members were found by, or "". */
  find: string;
  members: NumberedPage<GroupMember>;
  own: OwnChoice | null;
  page: PlatePage;
  quality: HitQuality;
  notices: ExpiryNotice[];
  now: number;
  zone: string;
};

export function GroupDetails(props: GroupDetailsProps) {
  const { group, find, members, own, page, quality, notices, now, zone } = props;
  const pages = usePlatePages(group.id, page);
  const id = encodeURIComponent(group.id);
  return (
    <Page width="full" loose>
      <div className="flex flex-wrap items-start gap-4">
        <img
          src={group.image_url ?? DEFAULT_GROUP_IMAGE}
          alt=""
          width={96}
          height={96}
          className="size-24 rounded-md border border-line object-cover"
        />
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <PageTitle className="flex flex-wrap items-center gap-2">
            {group.name}
            {group.archived_at !== null ? (
              <Badge>Archived</Badge>
            ) : (
              !group.can_edit && <Badge named>{group.agency}</Badge>
            )}
          </PageTitle>
          <p className="text-sm text-muted">
            Created <LocalTime at={group.created_at} short />
            {group.archived_at !== null && (
              <>
                {" "}
                · archived <LocalTime at={group.archived_at} short /> by {group.changed_by}, no longer matched
                since
              </>
            )}
            {group.archived_at === null && group.changed_by && (
              <>
                {" "}
                · changed <LocalTime at={group.changed_at} short /> by {group.changed_by}
              </>
            )}
          </p>
          <p className="max-w-3xl whitespace-pre-line wrap-anywhere">
            {group.description || <span className="text-muted">{MESSAGES.noDescription}</span>}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Link to={`/alerts/group/${id}`} className={buttonClass()}>
            <BellRing aria-hidden="true" />
            View Alerts
          </Link>
          {group.can_edit && (
            <Link to={`/groups/${id}/edit`} className={buttonClass("primary")}>
              <Pencil aria-hidden="true" />
              Edit Group
            </Link>
          )}
        </div>
      </div>

      <ExpiryNotices notices={notices} />

      <section aria-labelledby="members" className="flex flex-col gap-2">
        <div className="flex items-center gap-3">
          <h2 id="members" className="text-lg font-semibold">
            Members
          </h2>
          {own && <OwnMembers group={group} own={own} />}
        </div>
        <Members group={group} find={find} page={members} />
      </section>

      <GroupQuality quality={quality} />

      <section aria-labelledby="vehicles" className="flex min-w-0 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <h2 id="vehicles" className="text-lg font-semibold">
            Hotlist Vehicles
          </h2>
          {(group.can_edit || group.archived_at !== null) && (
            <Link to={`/groups/${id}/removed`} className={buttonClass("ghost", "sm")}>
              <History aria-hidden="true" />
              Removed plates
            </Link>
          )}
        </div>
        <PlateTable
          pages={pages}
          now={now}
          zone={zone}
          empty={
            <EmptyState
              icon={<ListX />}
              title="No plates in this group."
              actions={
                group.can_edit && (
                  <Link to={`/groups/${id}/edit`} className={buttonClass("primary")}>
                    Add plates
                  </Link>
                )
              }
            >
              {group.archived_at === null
                ? "Nothing is matched for this group until plates are added."
                : "It had none when it was archived."}
            </EmptyState>
          }
        />
      </section>
    </Page>
  );
}

/** A group's members by name and, if they have several pages, a form that finds them. */
function Members({
  group,
  find,
  page: shown,
}: {
  group: ShownGroup;
  find: string;
  page: NumberedPage<GroupMember>;
}) {
  const { rows, page, pages } = shown;
  if (rows.length === 0 && find === "")
    return (
      <p className="text-muted">
        {group.archived_at === null
          ? "No one receives this group's alerts yet."
          : "The group had no members when it was archived."}
      </p>
    );
  return (
    <>
      <FindInPages
        label="Find a member"
        placeholder="Name, email or agency"
        noun="member"
        find={find}
        list={shown}
      />
      {rows.length > 0 && (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(24rem,100%),1fr))] gap-x-6 gap-y-1">
          {rows.map((member) => (
            <li key={member.id}>
              {member.name} <span className="text-sm text-muted">{member.email}</span>
              {member.agency !== group.agency && (
                <span className="text-sm text-muted"> · {member.agency}</span>
              )}
              {!member.hotlist && (
                <span className="text-sm text-hit"> · has no hotlist permission, so gets no alerts</span>
              )}
            </li>
          ))}
        </ul>
      )}
      <PageLinks page={page} pages={pages} label="Pages of members" to={(to) => pageAddress(to, { find })} />
    </>
  );
}

function OwnMembers({ group, own }: { group: ShownGroup; own: OwnChoice }) {
  const { users, members, proposed } = own;
  const { mutate, pending } = useMutation();
  const saving = pending !== undefined;
  const [open, setOpen] = useState(false);
  const chosen = new Set([...members, ...proposed]);
  const wanted = users.users.filter(({ id }) => proposed.includes(id)).map(({ name }) => name);
  const form = useRef<HTMLFormElement>(null);
  const values = useFormValues(form, open);
  async function save() {
    const saved = callApi(`/groups/${encodeURIComponent(group.id)}/own-members`, {
      method: "PUT",
      json: { members: values?.[MEMBER] ?? [] },
      failed: "The members could not be saved.",
    });
    await mutate(saved, { done: () => setOpen(false) });
  }
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Choose your agency's members
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        locked={saving}
        title={`Your members of ${group.name}`}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="primary" pending={saving} pendingLabel="Saving..." onClick={save}>
              Save
            </Button>
          </>
        }
      >
        {wanted.length > 0 && (
          <p className="mb-3 text-sm">
            {group.agency} proposes {wanted.join(", ")}. Save to decide.
          </p>
        )}
        <form ref={form} onSubmit={(event) => event.preventDefault()}>
          <MemberFields
            form={form}
            candidates={{ users: { [users.agency]: users.users }, search: null }}
            isMember={(id) => chosen.has(id)}
            chosen={values && (values[MEMBER] ?? [])}
          />
        </form>
      </Dialog>
    </>
  );
}
