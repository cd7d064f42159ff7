/** Puts the focus on what asks for it (`data-autofocus`), else on the first field that can be used. */
export function focusFirstField(place: HTMLElement): void {
  const first =
    place.querySelector<HTMLElement>('[data-autofocus="true"]') ??
    place.querySelector<HTMLElement>(':is(input, select, textarea):not([disabled])')
  first?.focus()
}
