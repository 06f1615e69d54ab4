import { useState } from "react";
import { type ApiCall, callApi } from "#app/components/forms/api.ts";
import { AGENCY, FindForm, FindFormApart } from "#app/components/forms/find-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import type { GroupInvitation, Invitable } from "#app/entities/hotlists/group.ts";
import { counted } from "#app/lib/number-text.ts";

export type InvitationsProps = {
  groupId: string;
  invitations: GroupInvitation[];
  invitable: Invitable;
  /** Called after an invitation was withdrawn or a participation ended, which changes the group's version. */
  onEnded: () => void;
};

const FIND_FORM = "find-agencies";

/** The form that finds agencies to invite. */
export function FindAgenciesForm() {
  return <FindFormApart id={FIND_FORM} />;
}

/** The other agencies of a group: invited, participating, and those that can be invited. */
export function Invitations({ groupId, invitations, invitable, onEnded }: InvitationsProps) {
  const [list, setList] = useState(invitations);
  const [agency, setAgency] = useState("");
  const select = useTypedBefore<HTMLSelectElement>(setAgency);
  const path = `/groups/${encodeURIComponent(groupId)}/invitations`;
  const { agencies, found, total, search } = invitable;
  const free = agencies.filter(({ id }) => !list.some((invitation) => invitation.agency_id === id));
  // A search may have replaced the agency that was chosen.
  const chosen = free.some(({ id }) => id === agency) ? agency : "";

  // Refreshes the screen's data: pending members depend on their agency's invitation.
  const { mutate, pending } = useMutation();
  function change(id: string, call: ApiCall, address: string) {
    const changed = callApi<{ invitations: GroupInvitation[] }>(address, {
      method: call.method,
      json: call.json,
      failed: "The invitation could not be changed.",
    });
    void mutate(changed, {
      key: id,
      done: ({ invitations }) => {
        if (call.method === "DELETE") onEnded();
        setList(invitations);
        setAgency("");
        if (select.current) select.current.value = "";
      },
    });
  }

  return (
    <div className="flex flex-col gap-3">
      {list.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-md border border-line bg-raised">
          {list.map((invitation) => (
            <li key={invitation.agency_id} className="flex flex-wrap items-center gap-3 px-3 py-1.5">
              <span className="me-auto">
                {invitation.agency}
                {invitation.proposed.length > 0 && (
                  <span className="block text-sm text-muted">Pending: {invitation.proposed.join(", ")}</span>
                )}
              </span>
              <Badge tone={invitation.state === "accepted" ? "ok" : "neutral"}>
                {invitation.state === "accepted" ? "Participating" : "Invited, no answer yet"}
              </Badge>
              <Button
                size="sm"
                variant="ghost"
                pending={pending === invitation.agency_id}
                onClick={() =>
                  change(
                    invitation.agency_id,
                    { method: "DELETE" },
                    `${path}/${encodeURIComponent(invitation.agency_id)}`,
                  )
                }
              >
                {invitation.state === "accepted" ? "End" : "Withdraw"}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {search && (
        <FindForm
          form={FIND_FORM}
          label="Find an agency"
          placeholder="Name"
          name={AGENCY}
          find={search.find}
          result={
            search.find === ""
              ? `The first ${agencies.length} of ${counted(total, "agency", "agencies")}, by name.`
              : agencies.length < found
                ? `The first ${agencies.length} of ${counted(found, "agency", "agencies")} found, by name.`
                : `${counted(found, "agency", "agencies")} found.`
          }
        />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
        <Field
          label="Invite an agency"
          hint="Its hotlist admin accepts and chooses its members, who can see the group but not change it."
        >
          {(control) => (
            <Select
              {...control}
              key={search?.find}
              ref={select}
              defaultValue={chosen}
              onChange={(event) => setAgency(event.currentTarget.value)}
            >
              <option value="">Select an agency</option>
              {free.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button
          className="mt-6"
          disabled={chosen === ""}
          pending={pending !== undefined && pending === chosen}
          onClick={() => change(chosen, { method: "POST", json: { agency_id: chosen } }, path)}
        >
          Invite
        </Button>
      </div>
    </div>
  );
}
