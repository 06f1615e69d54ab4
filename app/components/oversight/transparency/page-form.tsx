import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import {
  CONTACT_MAX,
  INTRODUCTION_MAX,
  type TransparencyOverview,
} from "#app/entities/oversight/transparency-page.ts";

/** What the page says beside its figures. */
export function TransparencyPageForm({ overview }: { overview: TransparencyOverview }) {
  const { page, slugs, published_at: publishedAt } = overview;
  const form = useScreenForm({
    intent: "page",
    failed: "The page could not be saved.",
    keep: true,
    onDone: () => notify.success(publishedAt === null ? "The page was saved" : "The public page was changed"),
  });
  const length = (useFormValues(form.form)?.introduction?.[0] ?? page.introduction).length;

  return (
    <ScreenForm state={form} className="flex flex-col gap-4 rounded-md border border-line bg-raised p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Address"
          hint="The page is at /figures/ and this. It stays when the agency is renamed."
          error={form.problem("slug")}
        >
          {(control) => (
            <Select {...control} name="slug" defaultValue={form.value("slug", page.slug)}>
              {slugs.map((slug) => (
                <option key={slug}>{slug}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label="Contact for questions"
          hint="Public: an office's e-mail address or telephone number. Needed before you publish."
          error={form.problem("contact")}
        >
          {(control) => (
            <Input
              {...control}
              name="contact"
              defaultValue={form.value("contact", page.contact)}
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
        error={form.problem("introduction")}
      >
        {(control) => (
          <Textarea
            {...control}
            name="introduction"
            rows={4}
            defaultValue={form.value("introduction", page.introduction)}
            maxLength={INTRODUCTION_MAX}
          />
        )}
      </Field>
      <Button type="submit" className="self-start" pending={form.pending} pendingLabel="Saving…">
        {publishedAt === null ? "Save" : "Save and change the public page"}
      </Button>
    </ScreenForm>
  );
}
