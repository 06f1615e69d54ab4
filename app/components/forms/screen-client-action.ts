import type { ClientActionFunctionArgs, ShouldRevalidateFunctionArgs } from "@remix-run/react";
import { FORM_FIELDS, LOSS, refusedForm } from "#app/entities/form-answer.ts";

/**
 * The client action of every screen with forms. If the server cannot be reached, the form shows that and keeps what was
 * typed; without this, Remix would show an error page.
 */
export async function screenClientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const form = await request.clone().formData();
  const loss = navigator.onLine ? LOSS.unanswered : LOSS.unsent;
  try {
    return await serverAction();
  } catch (error) {
    if (error instanceof Response) throw error;
    // The form has its own message for this.
    return refusedForm(String(form.get(FORM_FIELDS.intent) ?? ""), "", { loss });
  }
}

/**
 * Keeps a screen's data when its form `find` is sent: that form only reads, so the loader would return the same data.
 */
export function revalidateUnlessFind({ formData, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formData?.get(FORM_FIELDS.intent) === "find" ? false : defaultShouldRevalidate;
}
