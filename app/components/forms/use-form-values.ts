import { type RefObject, useEffect, useState } from "react";

/** What a form's fields hold, by name, for parts of the screen that follow what is typed. */
export type FormValues = Readonly<Record<string, readonly string[]>>;

/**
 * The values of an uncontrolled form, read whenever a field changes and once after hydration, so that what was typed
 * before the scripts arrived counts. Undefined until then. Files are left out. Fields may stand outside the form and
 * name it in their `form` attribute, as in the cells of a table row. `isShown` tells when a form in a
 * dialog appears.
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

/** Writes into an uncontrolled field as if it had been typed, so that what follows the field follows. */
export function typeInto(
  field: HTMLInputElement | HTMLSelectElement | null | undefined,
  value: string,
): void {
  if (!field || field.value === value) return;
  // Past React's own setter, which would take the change for its own and tell no onChange.
  const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLSelectElement;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The values of a form by field name; files are left out. */
export function formValues(form: HTMLFormElement): FormValues {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new FormData(form))
    if (typeof value === "string") values[name] = [...(values[name] ?? []), value];
  return values;
}

/** The form of a field, or the form itself where its fields were written by scripts. */
function formOf(target: EventTarget | null): HTMLFormElement | null {
  if (target instanceof HTMLFormElement) return target;
  const isField =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
  return isField ? target.form : null;
}
