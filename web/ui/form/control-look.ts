/** How every box that takes input looks. 16 px on touch, since smaller text makes iOS zoom into the page. */
export const controlLook =
  'w-full rounded-control border border-line-strong bg-surface px-3 text-sm text-ink transition-colors placeholder:text-muted hover:border-muted focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-danger pointer-coarse:text-base'
