import { Form, Link } from "@remix-run/react";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { counted } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

const LONGEST = 100;

/** Returns the text that a screen's query asks to find, or "". A second form of a screen has a `name` of its own. */
export function findOf(query: URLSearchParams, name = "find"): string {
  return (query.get(name) ?? "").trim().slice(0, LONGEST);
}

/** Returns the query string of a page of the rows that were found. */
export function pageAddress(page: number, find = "", more: Record<string, string> = {}): string {
  const query = new URLSearchParams(find === "" ? more : { find, ...more });
  if (page > 1) query.set("page", String(page));
  return `?${query}`;
}

export type FindFormProps = {
  label: string;
  placeholder: string;
  find: string;
  result: string;
  /** A further field, and whether it has a value that leaves rows out. */
  children?: ReactNode;
  isChosen?: boolean;
  /** The field's name in the query, and the other parts of the query, which the form keeps. */
  name?: string;
  kept?: Record<string, string>;
};

/** Finds rows among all of them, of which the screen has only the first ones. Works without scripts. */
export function FindForm(props: FindFormProps) {
  const { label, placeholder, find, result, children, isChosen = false, name = "find", kept = {} } = props;
  const others = Object.entries(kept).filter(([, value]) => value !== "");
  return (
    <Form method="get" preventScrollReset className="flex flex-wrap items-end gap-2">
      {others.map(([other, value]) => (
        <input key={other} type="hidden" name={other} value={value} />
      ))}
      <Field label={label} className="w-72 max-w-full">
        {(control) => (
          <Input
            {...control}
            key={find}
            type="search"
            name={name}
            defaultValue={find}
            maxLength={LONGEST}
            autoComplete="off"
            placeholder={placeholder}
          />
        )}
      </Field>
      {children}
      <Button type="submit" icon={<Search />}>
        Find
      </Button>
      <p className="pb-1.5 text-sm text-muted">
        <span role="status">{result}</span>{" "}
        {(find !== "" || isChosen) && (
          <Link to={`?${new URLSearchParams(others)}`} preventScrollReset className="underline">
            Show all
          </Link>
        )}
      </p>
    </Form>
  );
}

type FindInPagesProps = Pick<FindFormProps, "label" | "placeholder" | "find"> & {
  /** Names one row. */
  noun: string;
  list: Pick<NumberedPage<unknown>, "pages" | "found">;
};

/** Finds rows of a list that has several pages; a shorter one needs no form. */
export function FindInPages({ noun, list, ...form }: FindInPagesProps) {
  if (form.find === "" && list.pages === 1) return null;
  const count = counted(list.found, noun);
  return <FindForm {...form} result={form.find === "" ? `${count}.` : `${count} found.`} />;
}
