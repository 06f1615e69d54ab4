import { ArrowDown, ArrowUp, Columns3, RotateCcw } from "lucide-react";
import { Panel } from "#app/components/search/sighting/panel.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { columnOf, DEFAULT_LAYOUT, type TableLayout, withMoved, withShown } from "./table-columns.ts";

type ColumnChooserProps = { layout: TableLayout; onChange: (layout: TableLayout) => void };

/** Which columns stand in the table, and in which order. */
export function ColumnChooser({ layout, onChange }: ColumnChooserProps) {
  return (
    <Panel
      title="Columns"
      align="end"
      className="w-72"
      label={
        <>
          <Columns3 aria-hidden="true" />
          Columns
        </>
      }
    >
      <ul className="flex flex-col">
        {layout.order.map((key, index) => {
          const { label } = columnOf(key);
          return (
            <li key={key} className="flex items-center gap-1">
              <Checkbox
                className="flex-1"
                label={label}
                checked={!layout.hidden.includes(key)}
                disabled={key === "plate"}
                onCheckedChange={(shown) => onChange(withShown(layout, key, shown))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} before`}
                icon={<ArrowUp />}
                disabled={index === 0}
                onClick={() => onChange(withMoved(layout, key, -1))}
              />
              <IconButton
                size="sm"
                label={`Move ${label} after`}
                icon={<ArrowDown />}
                disabled={index === layout.order.length - 1}
                onClick={() => onChange(withMoved(layout, key, 1))}
              />
            </li>
          );
        })}
      </ul>
      <Button
        size="sm"
        className="mt-2 w-full"
        icon={<RotateCcw />}
        onClick={() => onChange({ ...DEFAULT_LAYOUT, density: layout.density })}
      >
        Arrange as at first
      </Button>
    </Panel>
  );
}
