import { Link } from 'react-router'
import { Logo } from '../../ui/icons/logo.tsx'

/** The logo, which links to the home page. */
export function BrandLink() {
  return (
    <Link
      to="/"
      className="inline-flex items-center gap-2.5 rounded-control py-1 pr-1 font-semibold tracking-tight pointer-coarse:min-h-10"
    >
      <Logo size={26} />
      {/* In a narrow window the header has no room for the name beside the buttons. */}
      <span className="max-[22.5rem]:sr-only max-[26rem]:pointer-coarse:sr-only">Yonder</span>
    </Link>
  )
}
