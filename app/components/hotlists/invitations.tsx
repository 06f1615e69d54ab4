import { useState } from "react";
import { type ApiCall, callApi } from "#app/components/forms/api.ts";
import { AGENCY, FindForm, FindFormApart } from "#app/components/forms/find-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import type { GroupAgencies } from "#app/entities/hotlists/group.ts";
import { counted } from "#app/lib/number-text.ts";

export type InvitationsProps = {
  groupId: string;
  others: GroupAgencies;
  /** Called after an invitation was withdrawn or a participation ended, which changes the group's version. */
  onEnded: () => void;
};

const FIND_FORM = "find-agencies";

/** The form that finds agencies to invite. */
export function FindAgenciesForm() {
  return <FindFormApart id={FIND_FORM} />;
}

/** The other agencies of a group: invited, participating, and those that can be invited. */
export function Invitations({ groupId, others, onEnded }: InvitationsProps) {
  const { invited, invitable, search } = others;
  const [agency, setAgency] = useState("");
  const select = useTypedBefore<HTMLSelectElement>(setAgency);
  const path = `/groups/${encodeURIComponent(groupId)}/invitations`;
  // A search may have replaced the agency that was chosen.
  const chosen = invitable.agencies.some(({ id }) => id === agency) ? agency : "";

  const { mutate, pending } = useMutation();
  function change(id: string, call: ApiCall, address: string) {
    const changed = callApi(address, {
      method: call.method,
      json: call.json,
      failed: "The invitation could not be changed.",
    });
    void mutate(changed, {
      key: id,
      done: () => {
        if (call.method === "DELETE") onEnded();
        setAgency("");
        if (select.current) select.current.value = "";
      },
    });
  }

  return (
    <div className="flex flex-col gap-3">
      {search && (
        <FindForm
          form={FIND_FORM}
          label="Find an agency"
          placeholder="Name"
          name={AGENCY}
          find={search.find}
          result={
            search.find === ""
              ? `${counted(invited.total + invitable.total, "agency", "agencies")}.`
              : `${counted(invited.found + invitable.found, "agency", "agencies")} found.`
          }
        />
      )}
      {invited.agencies.length < invited.found && (
        <p className="text-sm text-muted">
          The first {invited.agencies.length} of{" "}
          {counted(invited.found, "invited agency", "invited agencies")}, by name.
        </p>
      )}
      {invited.agencies.length > 0 && (
        <ul className="flex max-h-96 flex-col divide-y divide-line overflow-auto rounded-md border border-line bg-raised">
          {invited.agencies.map((other) => (
            <li key={other.id} className="flex flex-wrap items-center gap-3 px-3 py-1.5">
              <span className="me-auto">
                {other.name}
                {other.proposed.length > 0 && (
                  <span className="block text-sm text-muted">Pending: {other.proposed.join(", ")}</span>
                )}
              </span>
              <Badge tone={other.participates ? "ok" : "neutral"}>
                {other.participates ? "Participating" : "Invited, no answer yet"}
              </Badge>
              <Button
                size="sm"
                variant="ghost"
                pending={pending === other.id}
                onClick={() =>
                  change(other.id, { method: "DELETE" }, `${path}/${encodeURIComponent(other.id)}`)
                }
              >
                {other.participates ? "End" : "Withdraw"}
                <span className="sr-only"> {other.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {invitable.agencies.length < invitable.found && (
        <p className="text-sm text-muted">
          {`The first ${invitable.agencies.length} of ${counted(invitable.found, "agency", "agencies")}${search?.find ? " found" : ""}, by name.`}
        </p>
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
              {invitable.agencies.map(({ id, name }) => (
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
