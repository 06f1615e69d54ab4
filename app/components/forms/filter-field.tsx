import { Search } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";

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
          {/* Not `pending`, which ignores presses: a newer filter may be sent at any time. */}
          <Button type="submit" icon={pending ? <Spinner /> : <Search />} aria-busy={pending || undefined}>
            Filter
          </Button>
        </div>
      )}
    </Field>
  );
}
