import { type FormEvent, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input, Textarea } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { Select } from "#app/components/ui/select.tsx";
import {
  CONTACT_MAX,
  type FiguresOverview,
  FiguresPage,
  INTRODUCTION_MAX,
} from "#app/entities/figures-page.ts";

type Problems = Partial<Record<keyof FiguresPage, string>>;

/** What the page says beside its figures. */
export function FiguresPageForm({ overview, onSaved }: { overview: FiguresOverview; onSaved: () => void }) {
  const { page, slugs, published_at: publishedAt } = overview;
  const [problems, setProblems] = useState<Problems>({});
  const [pending, setPending] = useState(false);
  const [length, setLength] = useState(page.introduction.length);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const parsed = FiguresPage.safeParse(Object.fromEntries(form));
    if (!parsed.success) {
      const found: Problems = {};
      for (const { path, message } of parsed.error.issues) found[path[0] as keyof FiguresPage] ??= message;
      return setProblems(found);
    }
    setProblems({});
    setPending(true);
    try {
      await callApi("/public-figures-data", { method: "PUT", body: parsed.data });
      notify.success(publishedAt === null ? "The page was saved" : "The public page was changed");
      onSaved();
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, "The page could not be saved."));
    }
    setPending(false);
  }

  return (
    <form
      onSubmit={submit}
      noValidate
      className="flex flex-col gap-4 rounded-md border border-line bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Address"
          hint="The page is at /figures/ and this. It stays when the agency is renamed."
          error={problems.slug}
        >
          {(control) => (
            <Select {...control} name="slug" defaultValue={page.slug}>
              {slugs.map((slug) => (
                <option key={slug}>{slug}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label="Contact for questions"
          hint="Public: an office's e-mail address or telephone number. Needed before you publish."
          error={problems.contact}
        >
          {(control) => (
            <Input
              {...control}
              name="contact"
              defaultValue={page.contact}
              maxLength={CONTACT_MAX}
              autoComplete="off"
            />
          )}
        </Field>
      </div>
      <Field
        label="Introduction"
        hint="Plain text, public. Name no plate, person or case."
        aside={`${length} of ${INTRODUCTION_MAX}`}
        error={problems.introduction}
      >
        {(control) => (
          <Textarea
            {...control}
            name="introduction"
            rows={4}
            defaultValue={page.introduction}
            maxLength={INTRODUCTION_MAX}
            onChange={(event) => setLength(event.currentTarget.value.length)}
          />
        )}
      </Field>
      <Button type="submit" className="self-start" pending={pending} pendingLabel="Saving…">
        {publishedAt === null ? "Save" : "Save and change the public page"}
      </Button>
    </form>
  );
}
