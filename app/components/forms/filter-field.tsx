import { Search } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";

type FilterFieldProps = Omit<InputProps, "type" | "name"> & {
  error?: string | undefined;
  pending?: boolean;
};

/** The text that filters a list, named `find`, and the button that sends it. */
export function FilterField({ error, pending, ...input }: FilterFieldProps) {
  return (
    <Field label="Filter" error={error}>
      {(control) => (
        <div className="flex max-w-xl gap-2">
          <Input {...control} {...input} name="find" type="search" autoComplete="off" />
          <Button type="submit" icon={<Search />} pending={pending}>
            Filter
          </Button>
        </div>
      )}
    </Field>
  );
}
