import { type RefObject, useEffect, useState } from "react";

/** The values of a form's fields by name, for parts of the screen that depend on them. */
export type FormValues = Readonly<Record<string, readonly string[]>>;

/**
 * The values of an uncontrolled form, read whenever a field changes and once after hydration, so that text
 * typed before the scripts arrived counts. Undefined until then. Files are left out. Fields may be outside the form and
 * name it in their `form` attribute, as in the cells of a table row. Set `isShown` when a form in a dialog appears.
 */
export function useFormValues(form: RefObject<HTMLFormElement>, isShown = true): FormValues | undefined {
  const [values, setValues] = useState<FormValues>();
  useEffect(() => {
    const element = form.current;
    if (!element || !isShown) return;
    const read = () => setValues(formValues(element));
    const readOwn = ({ target }: Event) => {
      if (formOf(target) === element) read();
    };
    // A reset empties the fields after its event.
    const readLater = () => setTimeout(read);
    read();
    document.addEventListener("input", readOwn);
    document.addEventListener("change", readOwn);
    element.addEventListener("reset", readLater);
    return () => {
      document.removeEventListener("input", readOwn);
      document.removeEventListener("change", readOwn);
      element.removeEventListener("reset", readLater);
    };
  }, [form, isShown]);
  return values;
}

/** Writes into an uncontrolled field and fires the events of typing. */
export function typeInto(
  field: HTMLInputElement | HTMLSelectElement | null | undefined,
  value: string,
): void {
  if (!field || field.value === value) return;
  // Bypasses React's setter, which would suppress onChange.
  const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLSelectElement;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Returns the values of a form by field name, without files. */
export function formValues(form: HTMLFormElement): FormValues {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new FormData(form))
    if (typeof value === "string") values[name] = [...(values[name] ?? []), value];
  return values;
}

/** Returns the form of a field, or the form itself if scripts changed its fields. */
function formOf(target: EventTarget | null): HTMLFormElement | null {
  if (target instanceof HTMLFormElement) return target;
  const isField =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
  return isField ? target.form : null;
}
