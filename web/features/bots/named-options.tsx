/** The options of a `Select`. `names` has the text that the user sees, by the value of the option. */
export function NamedOptions({ names }: { readonly names: Readonly<Record<string, string>> }) {
  return Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}
