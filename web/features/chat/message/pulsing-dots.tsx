const delays = ['', '[animation-delay:200ms]', '[animation-delay:400ms]']

/** Stands for a reply of which nothing has come yet (§2.32). */
export function PulsingDots() {
  return (
    <span className="flex h-7 items-center gap-1.5">
      <span className="sr-only">The reply is being written</span>
      {delays.map((delay) => (
        <span key={delay} aria-hidden className={`size-2 animate-pulse rounded-full bg-muted ${delay}`} />
      ))}
    </span>
  )
}
