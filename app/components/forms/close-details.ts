/** Closes the `details` element around a form that was saved. Its summary gets the focus. */
export function closeDetails(form: HTMLFormElement | null): void {
  const details = form?.closest("details");
  details?.removeAttribute("open");
  details?.querySelector("summary")?.focus();
}
