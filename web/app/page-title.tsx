/** The title of the tab. */
export function PageTitle({ children }: { readonly children?: string }) {
  return <title>{children === undefined ? 'Yonder' : `${children} · Yonder`}</title>
}
