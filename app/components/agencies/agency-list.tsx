import { Link, useRevalidator } from "@remix-run/react";
import { type FormEvent, useRef, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { type AgencyWithPolicy, NewAgency } from "#app/entities/policy.ts";

/** Every agency with the way to its name and policy, and a field for another one. */
export function AgencyList({ agencies }: { agencies: readonly AgencyWithPolicy[] }) {
  return (
    <div className="flex flex-col gap-3">
      <AddAgency />
      <TableBox label="Agencies" className="max-h-80">
        <Table caption="Agencies, sorted by name" density="compact">
          <thead>
            <tr>
              <ColumnHeader>Agency</ColumnHeader>
              <ColumnHeader numeric>Users</ColumnHeader>
              <ColumnHeader>Second factor</ColumnHeader>
              <ColumnHeader>Case number</ColumnHeader>
              <ColumnHeader>Name and policy</ColumnHeader>
            </tr>
          </thead>
          <tbody>
            {agencies.map(({ id, name, users, policy }) => (
              <tr key={id}>
                <th scope="row" className="font-medium">
                  {name}
                </th>
                <td className="num">{users}</td>
                <td>{policy.second_factor_required ? "Required" : "Optional"}</td>
                <td>{policy.case_number_required ? "Required" : "Optional"}</td>
                <td>
                  <Link to={`/owner/policy/${encodeURIComponent(id)}`} className={buttonClass("ghost", "sm")}>
                    Edit<span className="sr-only"> {name}</span>
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </TableBox>
    </div>
  );
}

function AddAgency() {
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const parsed = NewAgency.safeParse(Object.fromEntries(new FormData(event.currentTarget)));
    if (!parsed.success) return setProblem(parsed.error.issues[0]?.message ?? "");
    setProblem("");
    setPending(true);
    try {
      await callApi("/owner/agencies", { method: "POST", body: parsed.data });
      notify.success(`${parsed.data.name} was added`);
      form.current?.reset();
      revalidate();
    } catch (error) {
      if (!wasDeclined(error)) setProblem(problemOf(error, "The agency could not be added."));
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Field label="New agency" error={problem}>
        {(control) => (
          <div className="flex max-w-xl gap-2">
            <Input
              {...control}
              name="name"
              maxLength={120}
              autoComplete="off"
              placeholder="Name of the agency"
            />
            <Button type="submit" pending={pending} pendingLabel="Adding…">
              Add agency
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
