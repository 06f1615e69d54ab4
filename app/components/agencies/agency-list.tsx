import { Link, useRevalidator } from "@remix-run/react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { NameForm } from "#app/components/ui/name-form.tsx";
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

  async function add(typed: string) {
    const parsed = NewAgency.safeParse({ name: typed });
    if (!parsed.success) return parsed.error.issues[0]?.message;
    try {
      await callApi("/owner/agencies", { method: "POST", body: parsed.data });
    } catch (error) {
      return wasDeclined(error) ? "" : problemOf(error, "The agency could not be added.");
    }
    notify.success(`${parsed.data.name} was added`);
    revalidate();
  }

  return <NameForm label="New agency" placeholder="Name of the agency" add="Add agency" onAdd={add} />;
}
