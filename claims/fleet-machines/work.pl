# The work of an agent's turn: `perl work.pl FOLDER SESSION MESSAGE SECONDS`. Appends a line to the effects of the session, and
# starts a child that writes the time to a file every 100 ms as long as the agent lives: a frozen agent writes nothing. One such
# child runs per agent, because it holds a lock. In a git repository it appends the tree of the files as the first turn on a
# machine finds them, and then writes a file.
use strict;
use warnings;
use Fcntl qw(:flock);
use POSIX qw(setsid);
use Sys::Hostname;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my ($folder, $session, $message, $seconds) = @ARGV;
my $host = hostname;
$| = 1;

sub append {
  my ($name, $line) = @_;
  open(my $file, ">>", "$folder/$name") or die "$folder/$name: $!";
  syswrite $file, "$line\n";
  close $file;
}

append("$session.effects", "$message $host");
if (-e ".git") {
  if (!-e "$folder/$session.$host.lock") {
    local $ENV{GIT_INDEX_FILE} = "$folder/$session.$host.index";
    system("git add --all") == 0 or die "git add: $?";
    chomp(my $tree = `git write-tree`);
    append("$session.trees", "$host $tree");
  }
  open(my $file, ">", "work.txt") or die $!;
  print $file "$message on $host\n";
  close $file;
}
defined(my $child = fork) or die $!;
if ($child == 0) {
  setsid;
  open STDIN, "<", "/dev/null";
  open STDOUT, ">", "/dev/null";
  open STDERR, ">", "/dev/null";
  open(my $lock, ">>", "$folder/$session.$host.lock") or exit 1;
  flock($lock, LOCK_EX | LOCK_NB) or exit 0;
  my $name = sprintf "%s.%s-%d-%d.beats", $session, $host, $$, clock_gettime(CLOCK_MONOTONIC) * 1000;
  while (1) {
    append($name, sprintf "%.3f", clock_gettime(CLOCK_MONOTONIC));
    sleep 0.1;
  }
}
sleep $seconds;
print "did $message on $host\n";
