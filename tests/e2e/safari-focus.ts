/**
 * Makes presses move the focus as in Safari on a Mac: a pressed button, link, checkbox or radio button does not get the
 * focus; what is around it gets it, or nothing. Runs in the page.
 */
export function focusAsSafari(): void {
  const UNFOCUSED =
    "button:not([tabindex]), a[href]:not([tabindex]), input:is([type=checkbox], [type=radio], [type=submit], [type=button])";
  const FOCUSED = "[tabindex], input, select, textarea, summary, [contenteditable]";
  addEventListener("mousedown", (event) => {
    const pressed = event.target instanceof Element ? event.target.closest(UNFOCUSED) : null;
    if (!pressed) return;
    event.preventDefault();
    const around = pressed.parentElement?.closest<HTMLElement>(FOCUSED);
    // A press does not make the focus visible, unlike a script.
    const quietly: FocusOptions & { focusVisible: boolean } = { preventScroll: true, focusVisible: false };
    if (around) around.focus(quietly);
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
}
