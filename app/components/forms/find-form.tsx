import { Form, Link } from "@remix-run/react";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { counted } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

const LONGEST = 100;

/** Returns the text that a screen's query asks to find, or "". A second form on the same screen has its own `name`. */
export function findOf(query: URLSearchParams, name = "find"): string {
  return (query.get(name) ?? "").trim().slice(0, LONGEST);
}

/** The field that finds agencies, beside one that finds other things. */
export const AGENCY = "agency";

/** Returns the text that a screen's query asks to find in the names of agencies, or "". */
export function agencyOf(query: URLSearchParams): string {
  return findOf(query, AGENCY);
}

/** The query of a screen with several lists: the text and the page of each. */
export type ListQuery = Readonly<Record<string, string>>;

/** Returns the parts of a query that have these names, without empty ones. */
export function listQueryOf(query: URLSearchParams, names: readonly string[]): ListQuery {
  return Object.fromEntries(
    names.map((name) => [name, findOf(query, name)]).filter(([, value]) => value !== ""),
  );
}

/** Returns the query string of a page of the list whose page has this name, with the rest of the query. */
export function pageAddress(page: number, query: ListQuery = {}, name = "page"): string {
  const others = Object.entries(query).filter(([other, value]) => other !== name && value !== "");
  return `?${new URLSearchParams(page > 1 ? [...others, [name, String(page)]] : others)}`;
}

/** Returns a query without some of its parts: the part that one list's form keeps of the others. */
export function without(lists: ListQuery, names: readonly string[]): ListQuery {
  return Object.fromEntries(Object.entries(lists).filter(([name]) => !names.includes(name)));
}

export type FindFormProps = {
  label: string;
  placeholder: string;
  find: string;
  result: string;
  /** A further field, and whether it has a value that leaves rows out. */
  children?: ReactNode;
  isChosen?: boolean;
  /** The field's name in the query, and the other parts of the query that the form keeps. */
  name?: string;
  kept?: ListQuery;
  /** The id of a `FindFormApart`, if the fields are inside another form: forms cannot be nested. */
  form?: string;
};

/** The form of fields that are inside another form, beside which it stands. */
export function FindFormApart({ id }: { id: string }) {
  return <Form id={id} method="get" preventScrollReset className="hidden" />;
}

/** Finds rows among all rows when the screen has only the first ones. Works without scripts. */
export function FindForm(props: FindFormProps) {
  const className = "flex flex-wrap items-end gap-2";
  const fields = <FindFields {...props} />;
  if (props.form) return <div className={className}>{fields}</div>;
  return (
    <Form method="get" preventScrollReset className={className}>
      {fields}
    </Form>
  );
}

function FindFields(props: FindFormProps) {
  const { label, placeholder, find, result, children, isChosen = false, name = "find", kept = {} } = props;
  const { form } = props;
  const others = Object.entries(kept).filter(([, value]) => value !== "");
  return (
    <>
      {others.map(([other, value]) => (
        <input key={other} type="hidden" name={other} value={value} form={form} />
      ))}
      <Field label={label} className="w-72 max-w-full">
        {(control) => (
          <Input
            {...control}
            key={find}
            form={form}
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
      <Button type="submit" form={form} icon={<Search />}>
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
    </>
  );
}

type FindInPagesProps = Pick<FindFormProps, "label" | "placeholder" | "find" | "name" | "kept" | "form"> & {
  /** Names one row. */
  noun: string;
  list: Pick<NumberedPage<unknown>, "pages" | "found">;
};

/** Finds rows of a list with several pages; a shorter list needs no form. */
export function FindInPages({ noun, list, ...form }: FindInPagesProps) {
  if (form.find === "" && list.pages === 1) return null;
  const count = counted(list.found, noun);
  return <FindForm {...form} result={form.find === "" ? `${count}.` : `${count} found.`} />;
}
