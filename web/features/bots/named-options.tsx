/** The options of a `Select`, each with the name that the user sees, by the value that is stored. */
export function NamedOptions({ names }: { readonly names: Readonly<Record<string, string>> }) {
  return Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}
