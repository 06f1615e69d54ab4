const KEY = "odin.handed-plate";

/**
 * Opens the search form in a new tab with this plate in it. The plate goes by the tab's own storage, which the new tab
 * starts with a copy of: an address would end up in histories and logs.
 */
export function openSearchFor(plate: string): void {
  sessionStorage.setItem(KEY, plate);
  window.open("/search", "_blank");
  sessionStorage.removeItem(KEY);
}

/** The plate that this tab was opened for; given once. */
export function takeHandedPlate(): string | null {
  const plate = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return plate;
}
