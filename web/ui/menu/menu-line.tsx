export function MenuLine() {
  return <hr className="mx-1 my-1.5 border-line" />
}
