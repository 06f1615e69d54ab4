import { Link } from "@remix-run/react";
import { NameForm } from "#app/components/forms/name-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { AgencyWithPolicy } from "#app/entities/users/policy.ts";

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
  const form = useScreenForm({ intent: "add-agency", failed: "The agency could not be added." });
  return <NameForm state={form} label="New agency" placeholder="Name of the agency" add="Add agency" />;
}
