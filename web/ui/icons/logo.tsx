/** The logo: a circle with the letter Y, in the colours of the theme. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0">
      <circle cx="16" cy="16" r="16" className="fill-accent" />
      <path
        d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-on-accent"
      />
    </svg>
  )
}
